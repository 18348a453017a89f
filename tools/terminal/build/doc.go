// Package build knows how projects are built and what builders say. Detect finds
// the build systems of a directory and PlanOf the commands that build it; neither
// runs anything. A Matcher reads what those commands print, as it comes, and
// collects the errors and warnings with the places they are about.
//
// Nothing here trusts what it reads: files and output are looked at up to bounds,
// and a line or a log of any length costs no more than time in proportion to it.
package build
