package headless

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/internal/installed"
)

// launchJDTLS returns the command of Eclipse JDT LS in the extension redhat.java, which has its own Java in the editions for one
// platform. The launcher reads its configuration from the extension and writes to the directory of dataPlaceholder.
func launchJDTLS(dir string, m installed.Machine) []string {
	first := func(pattern string) string {
		found, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern))) // the pattern is well formed
		if len(found) == 0 {
			return ""
		}
		return found[len(found)-1]
	}
	java, configuration := "jre/*/bin/java", "config_linux"
	switch m.GOOS {
	case "windows":
		java, configuration = "jre/*/bin/java.exe", "config_win"
	case "darwin":
		configuration = "config_mac"
	}
	program, launcher, shared := first(java), first("server/plugins/org.eclipse.equinox.launcher_*.jar"), first("server/"+configuration)
	if program == "" || launcher == "" || shared == "" {
		return nil
	}
	return []string{
		program, "-Declipse.application=org.eclipse.jdt.ls.core.id1", "-Dosgi.bundles.defaultStartLevel=4", "-Declipse.product=org.eclipse.jdt.ls.core.product",
		"-Dosgi.checkConfiguration=true", "-Dosgi.sharedConfiguration.area=" + shared, "-Dosgi.sharedConfiguration.area.readOnly=true", "-Dosgi.configuration.cascaded=true",
		"-Xmx1G", "--add-modules=ALL-SYSTEM", "--add-opens", "java.base/java.util=ALL-UNNAMED", "--add-opens", "java.base/java.lang=ALL-UNNAMED",
		"-jar", launcher, "-configuration", dataPlaceholder + "-configuration", "-data", dataPlaceholder,
	}
}

// dataPlaceholder stands for a directory in arguments of a server: one for each folder, in the user's cache.
const dataPlaceholder = "{data}"

// expandData replaces dataPlaceholder in the arguments of a server for a folder.
func expandData(args []string, server, folder string) []string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "dougu", server, fmt.Sprintf("%x", sha256.Sum256([]byte(folder)))[:16])
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, dataPlaceholder, dir)
	}
	return args
}
