package app

import (
	"regexp"
	"runtime/debug"
	"strings"
)

// release is the version of a release; the linker sets it:
// -X github.com/dougu-go/dougu/tools/app.release=1.2.3
var release string

// nextVersion is the version that the source is on its way to.
const nextVersion = "0.1.0"

// Version is the version of the program: that of the release it comes from, or that
// by which "go install" was told to get it, or of the source at hand.
func Version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nextVersion
	}
	return moduleVersion(info.Main.Version)
}

// moduleVersion is the version of a module without its v, if somebody gave it one.
func moduleVersion(module string) string {
	if strings.HasPrefix(module, "v") && regexp.MustCompile(`^v\d+\.\d+\.\d+(-[a-z]+(\.\d+)?)?$`).MatchString(module) {
		return strings.TrimPrefix(module, "v")
	}
	return nextVersion
}
