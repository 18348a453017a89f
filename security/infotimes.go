package security

import "time"

// Times are when the entry was last read and when it was made, as far as the system tells; else zero.
func (i FileInfo) Times() (accessed, created time.Time) {
	if i.sys == nil {
		return time.Time{}, time.Time{}
	}
	return times(i.sys)
}
