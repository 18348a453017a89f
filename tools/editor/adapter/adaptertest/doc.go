// Package adaptertest tests implementations of adapter.Adapter and of the further interfaces of package adapter. [Run]
// tests each interface that the adapter implements, and logs the interfaces that it does not implement. It checks the
// conventions of package adapter:
//
//   - Positions count from 1, in UTF-16 code units, and are inside their documents. Edits can be applied.
//   - A change of a document with another version is ErrStale, and of concurrent changes of one version one succeeds.
//   - Only a buffer that is saved changes a file.
//   - Fresh diagnostics are complete, and a file that was not checked is not reported as checked.
//   - All methods are safe for concurrent use and return soon after the end of their context.
//   - Calls without a running editor return ErrNotRunning.
//
// A [Harness] describes the adapter, its project and the expected results. [RunSyntax] tests an
// adapter.SyntaxChecker.
package adaptertest
