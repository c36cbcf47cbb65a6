# Homebrew formula. `npm run packages` puts the tarball's address and checksum in and writes packages/homebrew/beckon.rb.
class Beckon < Formula
  desc "Tells you when your coding agent needs you, has failed or is done"
  url "@url@"
  sha256 "@sha256@"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
  end

  def caveats
    <<~TEXT
      To put the hooks into the settings of your agents:
        beckon install
      After an upgrade of this package:
        beckon upgrade
      Before you uninstall it:
        beckon uninstall
    TEXT
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/beckon --version")
  end
end
