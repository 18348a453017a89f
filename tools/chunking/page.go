package chunking

import (
	"strconv"

	"github.com/dougu-go/dougu/internal/cursor"
)

// offset is how many entries of a list earlier answers have, by the cursor of the last one.
func offset(q cursor.Question, given string) (int, error) {
	place, ok := q.Place(given)
	if ok && place == "" {
		return 0, nil
	}
	after, err := strconv.Atoi(place)
	if !ok || err != nil || after < 1 {
		return 0, problem(codeInvalidCursor, "Repeat the arguments of the call that the cursor is from, or call without cursor.", "the cursor does not belong to these arguments, or the list has changed since")
	}
	return after, nil
}

// nextCursor leads behind the entries that have been shown; it is empty at the end of the list.
func nextCursor(q cursor.Question, shown, total int) string {
	if shown >= total {
		return ""
	}
	return q.Cursor(strconv.Itoa(shown))
}

// part says which entries of a list an answer has: "262 of 507; go on with cursor=…", "263-507 of 507", or "" for all.
func part(after, shown, total int, next string) string {
	if after == 0 && shown >= total {
		return ""
	}
	said := number(shown)
	if after > 0 {
		said = number(after+1) + "-" + number(after+shown)
	}
	said += " of " + number(total)
	if next != "" {
		said += "; go on with cursor=" + next
	}
	return said
}
