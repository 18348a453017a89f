package security

import "github.com/dougu-go/dougu/security/internal/pattern"

// FoldEntry folds a name and checks it: as every call does, and as a walk does.
func FoldEntry(name string) (folded, quickly string, ok, quicklyOK bool) {
	quickly, quicklyOK = foldEntry(name)
	return pattern.Fold(name), quickly, checkEntry(name), quicklyOK
}
