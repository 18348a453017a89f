package errorclass

import (
	"strconv"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// ByCaller reports whether an error is a mistake of the caller, for example invalid arguments, an
// unknown name, a missing permission, or a state of the project that the caller must change first.
// Such errors do not affect the health of the server. code is the code of a tool's error, or the
// number of a protocol error. Unknown codes count as failures of the server.
func ByCaller(code string) bool {
	if n, err := strconv.ParseInt(code, 10, 64); err == nil {
		switch n {
		case protocol.CodeParse, protocol.CodeInvalidRequest, protocol.CodeMethodNotFound, protocol.CodeInvalidParams, protocol.CodeResourceNotFoundOld,
			protocol.CodeHeaderMismatch, protocol.CodeUnsupportedRevision, protocol.CodeMissingCapability:
			return true
		}
		return false
	}
	return callerCodes[code]
}

// callerCodes are the codes for which ByCaller returns true. The map is read-only.
var callerCodes = map[string]bool{
	"INVALID_PARAMS": true, "INVALID_CURSOR": true, "INVALID_PATTERN": true, "INVALID_RESULT": true, "INVALID_ANSWER": true, "BAD_RANGE": true, "BAD_DEPENDENCY": true,
	"NOT_FOUND": true, "FILE_NOT_FOUND": true, "CHUNK_NOT_FOUND": true, "SYMBOL_NOT_FOUND": true, "ANCHOR_NOT_FOUND": true, "NOT_A_REPOSITORY": true, "NOT_SOURCE": true,
	"NOT_ANALYZED": true, "NO_PARSER": true, "ALREADY_EXISTS": true, "NAME_TAKEN": true, "PROJECT_NOT_INDEXED": true, "IS_A_DIRECTORY": true, "NOT_A_DIRECTORY": true, "NOT_A_REGULAR_FILE": true, "BINARY_FILE": true,
	"FILE_TOO_LARGE": true, "MALFORMED_TEXT": true, "UNENCODABLE_CHARACTER": true, "DOES_NOT_PARSE": true, "READ_REQUIRED": true,
	"AMBIGUOUS_CHUNK": true, "AMBIGUOUS_PROJECT": true, "AMBIGUOUS_REFACTORING": true, "AMBIGUOUS_SYMBOL": true, "EDIT_AMBIGUOUS": true, "EDIT_COUNT_MISMATCH": true, "EDIT_NO_MATCH": true,
	"STALE_CHUNK": true, "STALE_FILE": true, "STALE_FIX": true, "STALE_REFACTORING": true, "STALE_REFERENCE": true,
	"UNKNOWN_AGENT": true, "UNKNOWN_ENCODING": true, "UNKNOWN_FIX": true, "UNKNOWN_GROUP": true, "UNKNOWN_LINE_END_POLICY": true, "UNKNOWN_PROCESS": true,
	"UNKNOWN_REFACTORING": true, "UNKNOWN_REVISION": true, "UNKNOWN_ROLE": true, "UNKNOWN_SESSION": true, "UNKNOWN_TEST_RUN": true,
	"AGENT_NOT_STARTED": true, "AGENT_RUNNING": true, "GROUP_BUSY": true, "NO_SESSION": true, "SESSION_ENDED": true, "NOT_STOPPED": true, "INPUT_CLOSED": true,
	"NO_NAME_TO_GIVE": true, "NO_PROJECT": true, "NO_REFACTORING": true, "SYMBOL_IN_USE": true, "NOTHING_IN_PROGRESS": true, "NOTHING_TO_COMMIT": true,
	"CLIENT_NOT_ALLOWED": true, "PERMISSION_DENIED": true, "PERMISSION_REQUIRED": true, "NEEDS_LOGIN": true, "UNKNOWN_SERVER": true, "COMMAND_BLOCKED": true, "CONFIRMATION_REQUIRED": true, "DECLINED": true,
	"DESTRUCTIVE_NOT_ALLOWED": true, "MISSING_CAPABILITY": true, "SECRETS_FOUND": true, "OUTSIDE_PROJECT": true, "REMOTE_NOT_ALLOWED": true,
	"ALREADY_PUSHED": true, "DETACHED_HEAD": true, "DIVERGED": true, "NO_BUILD_SYSTEM": true, "NO_IDENTITY": true, "NO_UPSTREAM": true, "OPERATION_IN_PROGRESS": true,
	"REJECTED": true, "UNCOMMITTED_CHANGES": true, "UNRESOLVED_CONFLICTS": true,
}
