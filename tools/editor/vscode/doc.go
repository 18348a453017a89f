// Package vscode lets the tools of package editor work in windows of Visual Studio Code: in what is open there, with the problems,
// fixes, formatters and names that its extensions know.
//
// The other side is the extension in the directory extension, which must be installed. Each window with a folder then listens on
// a socket of its own (a named pipe on Windows), in a directory that only its user can use, beside a file that says where the
// socket is and which token opens it. [New] looks for these files, talks to every window that it finds, and finds the window for
// a file by its folders.
//
//   - On Linux and macOS the directory is dougu/vscode in $XDG_RUNTIME_DIR or in ~/.cache, on Windows %LOCALAPPDATA%\dougu\vscode, and
//     $DOUGU_VSCODE_DIR wherever that is set, for both sides.
//   - Files of a window that was killed are removed.
//   - What a window says is not believed: lengths and numbers are bounded, positions are checked, and paths are for the caller to check.
//   - A document is open ([adapter.Buffers]) when it has a tab or unsaved changes. What VS Code has only read for itself is not.
//   - Diagnostics ([adapter.Diagnoser]) count as fresh when an extension has spoken since the last change, or when one that spoke of
//     the document before keeps silent for longer than it ever took. Languages about which no extension ever speaks are
//     left to the next adapter. TypeScript and JavaScript are asked outright where VS Code allows it. After
//     [VSCode.FilesChanged] they wait until VS Code has seen these files.
//   - A fix may be a command of an extension that makes its changes by itself. Those are not offered, since nobody could
//     say beforehand what they do.
//
// Windows and macOS are compiled and vetted, but untested.
package vscode
