// Package editcorpus reads cases of edits, with which an editor of files is judged: the bytes of a file, edits of it, and the
// bytes that it must have then, or that the edits must be refused.
//
// A file of cases is text. A line "=== title" begins a case, lines of it that begin with # are notes, and a line
// "-- name attributes --" begins a section:
//
//	=== a tab where the model wrote spaces
//	# Models see both as white space.
//	-- before --
//	func f() {
//		return 1
//	}
//	-- old open --
//	    return 1
//	-- new open --
//	    return 2
//	-- after by=indentation --
//	func f() {
//		return 2
//	}
//
// The sections are before, any number of pairs of old and new, and either after or error. The attributes of old are
// replaceAll, expectedCount=n and nearLine=n. That of after, by=step, is how the last edit is to be found. The attributes
// of error are the codes that will do; its lines must be in the message.
//
// A section has the text up to the next one, or to the empty line in front of the next case. The other attributes say how its bytes differ from that: open takes off the
// last line end, crlf, cr and mixed (every second line CRLF, beginning with the first) change line ends, encoding=name encodes, bom puts a byte-order mark in front. In a section that is
// quoted each line is a string in the syntax of Go, and they are joined without line ends.
package editcorpus
