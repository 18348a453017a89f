package protocol

import "slices"

// Revision is a released revision of the protocol, named by its date. Revisions compare as strings:
// rev >= Rev20251125 is valid.
type Revision string

// The released revisions.
const (
	Rev20241105 Revision = "2024-11-05"
	Rev20250326 Revision = "2025-03-26"
	Rev20250618 Revision = "2025-06-18"
	Rev20251125 Revision = "2025-11-25"
	Rev20260728 Revision = "2026-07-28"
)

// Latest is the newest revision that this package supports.
const Latest = Rev20260728

// revisions lists all supported revisions, newest first.
var revisions = [...]Revision{Rev20260728, Rev20251125, Rev20250618, Rev20250326, Rev20241105}

// Revisions returns all supported revisions, newest first.
func Revisions() []Revision { return slices.Clone(revisions[:]) }

// Modern reports whether every request of the revision is independent and carries its revision and
// capabilities (2026-07-28 and later). In older revisions requests belong to a session that
// initialize has opened.
func (r Revision) Modern() bool { return r >= Rev20260728 }

// Known reports whether r is one of Revisions.
func (r Revision) Known() bool { return r.Index() >= 0 }

// Index returns the index of r in Revisions, or -1.
func (r Revision) Index() int { return slices.Index(revisions[:], r) }
