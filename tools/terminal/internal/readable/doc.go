// Package readable turns what programs write to terminals into text for a reader
// who has none: without escapes, with characters instead of bytes.
package readable
