package format

import (
	"strings"
	"time"
)

// isDateTime checks RFC 3339, section 5.6.
func isDateTime(s string) bool {
	return len(s) > 10 && (s[10] == 'T' || s[10] == 't') && isDate(s[:10]) && isTime(s[11:])
}

// isDate checks the form yyyy-mm-dd and the calendar.
func isDate(s string) bool {
	if len(s) != len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return false
	}
	if !isDigits(s[:4]) || !isDigits(s[5:7]) || !isDigits(s[8:]) {
		return false
	}
	year := pair(s, 0)*100 + pair(s, 2)
	month, day := pair(s, 5), pair(s, 8)
	return 1 <= month && month <= 12 && 1 <= day && day <= time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// isTime checks hh:mm:ss with an optional fraction and an offset. Second 60 is valid only as a leap
// second at the end of a UTC day.
func isTime(s string) bool {
	const clock = "hh:mm:ss"
	if len(s) <= len(clock) || !isHourMinute(s[:5]) || s[5] != ':' || !isDigits(s[6:8]) || pair(s, 6) > 60 {
		return false
	}
	minute, leap := pair(s, 0)*60+pair(s, 3), pair(s, 6) == 60
	offset := s[len(clock):]
	if fraction, ok := strings.CutPrefix(offset, "."); ok {
		offset = strings.TrimLeft(fraction, "0123456789")
		if len(offset) == len(fraction) {
			return false
		}
	}
	const day = 24 * 60
	switch {
	case offset == "Z" || offset == "z":
	case len(offset) == len("+hh:mm") && isHourMinute(offset[1:]):
		ahead := pair(offset, 1)*60 + pair(offset, 4)
		switch offset[0] {
		case '+':
			minute += day - ahead
		case '-':
			minute += ahead
		default:
			return false
		}
	default:
		return false
	}
	return !leap || minute%day == day-1
}

// isHourMinute checks the form hh:mm.
func isHourMinute(s string) bool {
	return len(s) == 5 && s[2] == ':' && isDigits(s[:2]) && isDigits(s[3:]) && pair(s, 0) < 24 && pair(s, 3) < 60
}

// isDuration checks RFC 3339, appendix A: a sequence of years, months, days, hours, minutes and
// seconds without gaps, or weeks.
func isDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok {
		return false
	}
	if weeks, ok := strings.CutSuffix(s, "W"); ok {
		return weeks != "" && isDigits(weeks)
	}
	date, clock, timed := strings.Cut(s, "T")
	if timed {
		return (date == "" || isMeasured(date, "YMD")) && isMeasured(clock, "HMS")
	}
	return isMeasured(date, "YMD")
}

// isMeasured reports whether s is a sequence of numbers with consecutive units.
func isMeasured(s, units string) bool {
	for first := true; first || s != ""; first = false {
		rest := strings.TrimLeft(s, "0123456789")
		if rest == "" || len(rest) == len(s) {
			return false
		}
		at := strings.IndexByte(units, rest[0])
		if at < 0 || at > 0 && !first {
			return false
		}
		units, s = units[at+1:], rest[1:]
	}
	return true
}

// isPeriod checks an interval of two times, or of a time and a duration (RFC 3339, appendix A).
func isPeriod(s string) bool {
	start, end, ok := strings.Cut(s, "/")
	switch {
	case !ok:
		return false
	case isDateTime(start):
		return isDateTime(end) || isDuration(end)
	}
	return isDuration(start) && isDateTime(end)
}

// isDigits reports whether s has only digits.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// pair returns the number of two digits at index i.
func pair(s string, i int) int { return int(s[i]-'0')*10 + int(s[i+1]-'0') }
