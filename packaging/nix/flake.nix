# Nix flake. `npm run packages` puts the tarball's address in and writes packages/nix/flake.nix: `nix run` in its folder. The
# program needs nothing but Node: everything else is bundled.
{
  description = "Tells you when your coding agent needs you, has failed or is done";

  inputs = {
    nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
    beckon = {
      url = "@url@";
      flake = false;
    };
  };

  outputs =
    { nixpkgs, beckon, ... }:
    let
      systems = [
        "aarch64-darwin"
        "aarch64-linux"
        "x86_64-darwin"
        "x86_64-linux"
      ];
      inherit (builtins.fromJSON (builtins.readFile "${beckon}/package.json")) version;
      packageFor =
        pkgs:
        pkgs.runCommand "beckon-${version}"
          {
            nativeBuildInputs = [ pkgs.makeWrapper ];
            meta = {
              license = pkgs.lib.licenses.mit;
              mainProgram = "beckon";
            };
          }
          ''
            mkdir -p $out/lib/beckon
            cd ${beckon}
            cp -r dist templates package.json LICENSE $out/lib/beckon
            makeWrapper ${pkgs.nodejs}/bin/node $out/bin/beckon --add-flags $out/lib/beckon/dist/cli.js
          '';
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: {
        default = packageFor nixpkgs.legacyPackages.${system};
      });
    };
}
