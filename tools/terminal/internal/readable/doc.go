// Package readable converts terminal output to text without escape sequences, in UTF-8. [Text] is its only function; [Options]
// describe the output.
package readable
