// Package vscode is the adapter for windows of Visual Studio Code. It gives the tools of package editor access to open
// documents, and to the diagnostics, fixes, formatters and navigation of VS Code's extensions.
//
// The extension in the directory extension must be installed in VS Code. Each window with a folder then listens on its own
// socket (a named pipe on Windows). The socket is in a directory that only its user can access, beside a file with the socket's
// path and its token. [New] reads these files and connects to every window. The window for a file is found by its folders and by the
// unsaved documents outside of them.
//
//   - On Linux and macOS the directory is dougu/vscode in $XDG_RUNTIME_DIR or in ~/.cache, on Windows %LOCALAPPDATA%\dougu\vscode.
//     $DOUGU_VSCODE_DIR overrides it, for both sides.
//   - Files of killed windows are removed.
//   - Data from a window is untrusted: lengths and numbers are limited, and positions are checked. The caller checks paths.
//   - A document is open ([adapter.Buffers]) if it has a tab or unsaved changes. Documents that VS Code only loaded are not open.
//   - A window that reloads has its unsaved text again after some seconds. Until then, calls about these documents fail with FILE_BUSY.
//   - Different unsaved texts of one file in two windows fail with FILE_BUSY, too.
//   - Diagnostics ([adapter.Diagnoser]) are fresh if an extension has reported since the last change. An extension whose diagnostics stay the
//     same reports nothing. Therefore they are also fresh after a silence that is longer than the extension's slowest report on the document
//     so far. Languages without any report are left to the next adapter. TypeScript and JavaScript are queried directly where VS Code allows it. After [VSCode.FilesChanged] queries wait until VS Code
//     has seen these files.
//   - Fixes that run a command of an extension are not offered, because their changes cannot be shown beforehand.
//
// Windows and macOS are compiled and vetted, but untested.
package vscode
