package app

import (
	"fmt"

	"github.com/dougu-go/dougu/mcp"
)

// structuredFlag is the value of the flag -structured.
type structuredFlag mcp.StructuredPolicy

// String implements flag.Value.
func (f *structuredFlag) String() string { return string(*f) }

// Set implements flag.Value.
func (f *structuredFlag) Set(value string) error {
	switch policy := mcp.StructuredPolicy(value); policy {
	case mcp.StructuredAuto, mcp.StructuredAlways, mcp.StructuredNever:
		*f = structuredFlag(policy)
		return nil
	}
	return fmt.Errorf("choose %s, %s or %s", mcp.StructuredAuto, mcp.StructuredAlways, mcp.StructuredNever)
}
