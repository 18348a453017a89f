package errorclass_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/errorclass"
)

// serverCodes are the documented codes of errors that the caller cannot avoid.
const serverCodes = `AUDIT_FAILED AUTHENTICATION_REQUIRED BUILD_TOOL_MISSING CANCELLED CIRCUIT_OPEN CONNECTION_LIMIT DEBUGGER_BUSY
DEBUGGER_FAILED FILE_BUSY FORMATTER_FAILED GIT_FAILED GIT_MISSING HOOK_FAILED IDE_NOT_RUNNING INDEX_UNAVAILABLE INTERNAL_ERROR
ISSUES_UNAVAILABLE LANGUAGE_SERVER_FAILED LFS_OBJECTS_MISSING LIMIT_REACHED LOCKED NOT_AUTHORIZED NO_ANSWER NO_DEBUGGER
NO_LANGUAGE_SERVER NO_SPACE NO_TOKEN RATE_LIMITED READ_ONLY REMOTE_UNREACHABLE RESULT_TOO_LARGE ROLE_NOT_READY ROLE_UNAVAILABLE
SERVER_BUSY SERVER_UNAVAILABLE TESTS_RUNNING TIMEOUT TOO_MANY_PROCESSES TOO_MANY_SESSIONS TOO_MANY_TASKS UNAVAILABLE UNITY_BUSY
UNITY_COMMAND_OFF UNITY_FAILED UNITY_RELOADING UNITY_UNCERTAIN UNKNOWN_OUTCOME UNSAFE_REPOSITORY`

// Every documented code is known to be the caller's or the server's.
func TestByCaller_DocumentedCodes(t *testing.T) {
	document, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	server := make(map[string]bool)
	for code := range strings.FieldsSeq(serverCodes) {
		server[code] = true
	}
	codes := regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| [^`]").FindAllStringSubmatch(string(document), -1)
	for _, match := range codes {
		if code := match[1]; errorclass.ByCaller(code) == server[code] {
			t.Errorf("%s: by the caller %v, in the list of the server %v", code, errorclass.ByCaller(code), server[code])
		}
	}
	if len(codes) < 110 {
		t.Errorf("the document has %d codes", len(codes))
	}
}

func TestByCaller_ProtocolErrors(t *testing.T) {
	for code, want := range map[string]bool{"-32602": true, "-32601": true, "-32603": false, "-1": false, "NEW_CODE": false, "": false} {
		if got := errorclass.ByCaller(code); got != want {
			t.Errorf("%q: %v", code, got)
		}
	}
}
