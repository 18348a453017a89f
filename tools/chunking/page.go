package chunking

import (
	"strconv"

	"github.com/dougu-go/dougu/tools/internal/cursor"
)

// offset returns the number of entries on earlier pages. A cursor of another list is an
// INVALID_CURSOR error.
func offset(q cursor.ListID, given string) (int, error) {
	position, ok := q.Position(given)
	if ok && position == "" {
		return 0, nil
	}
	after, err := strconv.Atoi(position)
	if !ok || err != nil || after < 1 {
		return 0, problem(codeInvalidCursor, "Repeat the arguments of the call that the cursor is from, or call without cursor.", "the cursor does not belong to these arguments, or the list has changed since")
	}
	return after, nil
}

// nextCursor returns the cursor of the page after the first shown entries; it is empty at
// the end of the list.
func nextCursor(q cursor.ListID, shown, total int) string {
	if shown >= total {
		return ""
	}
	return q.Cursor(strconv.Itoa(shown))
}

// pageNote formats the range of a page: "262 of 507; go on with cursor=…", "263-507 of 507", or "" for a list on one page.
func pageNote(skipped, shown, total int, next string) string {
	if skipped == 0 && shown >= total {
		return ""
	}
	note := number(shown)
	if skipped > 0 {
		note = number(skipped+1) + "-" + number(skipped+shown)
	}
	note += " of " + number(total)
	if next != "" {
		note += "; continue with cursor=" + next
	}
	return note
}
