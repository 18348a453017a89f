// Package catalog defines the tools that every measured server has: arguments, results and computations. The servers differ only in
// the MCP library. The driver uses the catalog to verify results.
package catalog
