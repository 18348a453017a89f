// Package migration has tests for the pages docs/guide/from-go-sdk.md and docs/guide/from-mcp-go.md. Its files compile both columns of
// their tables, and its tests run the differences that the pages state.
package migration
