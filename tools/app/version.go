package app

import (
	"regexp"
	"runtime/debug"
	"strings"
)

// release is the version of a release build. The linker sets it: -X
// github.com/dougu-go/dougu/tools/app.release=1.2.3
var release string

// nextVersion is the version of builds from source without a release.
const nextVersion = "0.1.0"

// Version returns the version of the program: the release, else the version that "go
// install" has downloaded, else the next version of the source.
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

// moduleVersion returns a module version without its v. For a pseudo-version or a local
// build it returns nextVersion.
func moduleVersion(module string) string {
	if strings.HasPrefix(module, "v") && regexp.MustCompile(`^v\d+\.\d+\.\d+(-[a-z]+(\.\d+)?)?$`).MatchString(module) {
		return strings.TrimPrefix(module, "v")
	}
	return nextVersion
}
