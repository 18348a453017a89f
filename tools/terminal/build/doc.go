// Package build knows build systems and the output of their tools.
//
// [Detect] finds the build systems of a directory. [PlanOf] returns the commands that build it. Neither runs anything. A
// [Matcher] parses the output of these commands while it arrives, and collects errors and warnings with their locations.
//
// Input is not trusted: the number and size of files and lines is bounded, and the time is proportional to the length of the
// input.
package build
