// Package similar finds code that is like other code, whatever its names, layout
// and comments.
//
// Code becomes a row of tokens in which every identifier is the same, and every
// number and string. Some of its sequences, chosen by the content alone, become
// the fingerprints ([Prints]) that an index keeps of each piece. [Find] asks the
// index for pieces with the same ones, and [Compare] says how much each is alike,
// token by token: as a number from 0 to 1 that means the same in all languages.
package similar
