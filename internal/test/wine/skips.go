package main

// The reasons why a test is skipped.
const (
	noLinks        = "Wine 8 has no symbolic links, and a user of Windows has no right to make them"
	noOpenReplace  = "Wine 8 neither replaces nor removes a file or directory while it is open, which NTFS does"
	noProgram      = "the test runs the program go, git, gopls, sh or echo, which has no Windows version here"
	otherNames     = "Wine 8 refuses file names that Windows 10 accepts, or the other way round"
	noUnixSockets  = "Wine 8 has no Unix sockets"
	unixTest       = "the test has paths, or settings, of Unix"
	noRenameEvents = "Wine 8 does not report the renaming of a directory"
	longVariable   = "the script of the test is longer than an environment variable of Windows can be"
	noParent       = "the parent of a test is a Unix program, which Wine does not show"
	slow           = "the test takes longer than 15 seconds under Wine"
	noAtomicAppend = "Wine 8 appends to a file in two steps, so that one of two writers at once loses lines"
)

// excluded are the packages whose tests do not run under Wine.
var excluded = []exclusion{
	{"the tests drive programs that have no Windows version here", []string{"internal/test/api", "internal/test/e2e/...", "internal/test/conformance/...", "internal/test/testrun"}},
	{"the tests of whole programs have paths, settings and programs of Unix; TestWine_ in internal/test/e2e runs cursorcli", []string{
		"tools/app/chunks", "tools/app/cqm", "tools/app/cursorcli", "tools/app/editor", "tools/app/gateway", "tools/app/kuromajutsu", "tools/app/internal/...",
	}},
	{"the stand-ins for npm and other programs are copies of the test program, which start slowly under Wine", []string{"tools/editor/serverinstall"}},
	{"pure computation that takes minutes: parsers over real code, grammars, and comparisons with the program go", []string{
		"tools/internal/parsecheck", "tools/source/treesitter", "tools/search/similar",
	}},
}

// skips are the tests that do not run under Wine, by reason and package.
var skips = []skip{
	{noLinks, "internal/rootfs", []string{
		"TestDir_DescribeEqualsLstat", "TestDir_WalkLinks", "TestOpenDir_Paths",
		"TestDir_NextReadsEveryEntryOnce", "TestLstat_LastLink", "TestMakeParents", "TestMakeParents_LinkAppears",
		"TestPlace_Mkdir", "TestMoveTo", "TestMoveTo_ExchangedDirectory", "TestMoveTo_Exchanged",
		"TestMakeParents_ParentNames", "TestPlace_OpenDir", "TestOpen_FinalPath", "TestPlace_OpenExchanged",
		"TestPlace_DirectoryMoved", "TestDir_ReadFileKinds", "TestPlace_Remove", "TestDir_Remove",
		"TestReplace_Links", "TestOpenRoot_Link", "TestStepError_Entry",
		"TestSweepTemps_LivingWriters",
	}},
	{noLinks, "security/aferofs", []string{
		"TestNew_Functions", "TestNew_Rules",
	}},
	{noLinks, "security", []string{
		"TestWrite_Backup", "TestWrite_BackupDirIsLink", "TestRoot_CacheDir",
		"TestAudit_RecordsChangesBeforeTheyHappen", "TestAudit_EveryChangeRecorded", "TestDir_Entries",
		"TestWalk_DirectoryBecomesLink", "TestOpenRoot_DirectoryBehindLink", "TestWalk_FileBecomesLink",
		"TestWalk_UnreadableGitignore", "TestMakeDir", "TestMove", "TestMove_Result", "TestNotFound_SimilarNames", "TestNotFound_UnreadableNames",
		"TestRoot_RandomChangesLoseNothing", "TestRoot_RelativePaths", "TestMove_Rules", "TestRoot_StatLstat",
		"TestOpenRoot_StateDirInsideProject", "TestTrash", "TestTrash_Gitignore", "TestTrash_TrashDirIsLink", "TestUpdate", "TestWalkEntry_Methods",
		"TestWalk_InvalidStarts", "TestWrite",
	}},
	{noLinks, "tools/agents/executor/cursor", []string{
		"TestRun_SettingsDirectory",
	}},
	{noLinks, "tools/chunking/index", []string{
		"TestAnalyze_UnusableFile", "TestAnalyze_ExcludedFiles", "TestReadFile", "TestJSONStore_LinkedDirectory",
		"TestStore_HostileFiles",
	}},
	{noLinks, "tools/fs", []string{
		"TestCreateDirectory", "TestDelete", "TestEdit_FileMode", "TestInfo_DirectoriesAndLinks", "TestMove", "TestReadMany",
		"TestRead_ResultMembers", "TestSearchContent_BlockedFiles", "TestWrite_StaleFile",
	}},
	{noAtomicAppend, "security/audit", []string{
		"TestLog_Rotates",
	}},
	{noOpenReplace, "tools/internal/dirwatch", []string{
		"TestWatch",
	}},
	{noOpenReplace, "security", []string{
		"TestMove_CopyAcrossDevices", "TestUpdate_WritersWithoutLock", "TestUpdate_ConcurrentInOneProcess",
	}},
	{noOpenReplace, "tools/agents/sqlite", []string{
		"TestOutputs_MaxOutputBytes",
	}},
	{noOpenReplace, "tools/agents/roles", []string{
		"TestSet_Concurrent",
	}},
	{noOpenReplace, "tools/chunking", []string{
		"TestGetChunk_ChangingFile",
	}},
	{noOpenReplace, "tools/chunking/index", []string{
		"TestAnalyze_ForcedUnchanged", "TestJSONStore_Compaction", "TestJSONStore_Damage", "TestJSONStore_DirectoryRemoved",
		"TestJSONStore_OlderVersion", "TestOpen_OtherParsers",
	}},
	{noProgram, "tools/source/pattern", []string{"TestPattern_Find_GoOracle"}},
	{noProgram, "tools/app", []string{
		"TestInstall_EntryStartsProgram", "TestDoctor_BrokenServer", "TestDoctor_HealthyProgram",
		"TestDoctor_MissingParts", "TestFollower_Roots", "TestFollower_RootsBeforeCurrentDirectory", "TestFollower_RootsChange",
		"TestFollower_RootsNeverArrive", "TestFollower_NoNoticeOfFirstList", "TestFollower_RootsArriveLate", "TestFollower_RefusedRoots", "TestFollower_TwoClients",
		"TestFollower_NoRoots", "TestFollower_AsksInCall", "TestFollower_Flag", "TestFollower_ClientFlags", "TestFollower_BuildFails",
		"TestFollower_TaskStays", "TestFollower_QuickChanges", "TestFollower_ManyFolders", "TestFollower_OddFolders",
	}},
	{noProgram, "tools/internal/dap", []string{
		"TestSession_Output",
	}},
	{noProgram, "tools/internal/git", []string{
		"TestRemote",
	}},
	{noProgram, "tools/source/outline/internal/gosource", []string{
		"TestParse_AsGoParser",
	}},
	{noProgram, "tools/search", []string{
		"TestProjectContext_WithoutSources",
	}},
	{noProgram, "transport", []string{
		"TestCommand_Calls",
	}},
	{noProgram, "tools/editor/internal/installed", []string{
		"TestLocal",
	}},
	{noProgram, "tools/editor/headless", []string{
		"Example",
	}},
	{noProgram, "tools/git", []string{
		"Example",
	}},
	{noOpenReplace, "tools/fs", []string{
		"TestEdit_Concurrent", "TestWrite_LargeUnreadFile", "TestWrite_KeepsEncoding", "TestWrite_LargeFile",
		"TestWrite_LargeUnreadFileBackup",
	}},
	{otherNames, "internal/rootfs", []string{
		"TestAlias_OtherSpellings",
	}},
	{otherNames, "security", []string{
		"TestDir_Walk", "TestWalk_Options",
	}},
	{otherNames, "tools/editor/unity", []string{
		"TestOpen",
	}},
	{noUnixSockets, "transport", []string{
		"ExampleListen", "TestListen_UnixSocketMode", "TestListen_ExistingSocketPath",
	}},
	{unixTest, "tools/app", []string{
		"TestInstall_NamesProject",
	}},
	{unixTest, "tools/internal/clientconfig", []string{
		"TestClient_LocateProfile",
	}},
	{unixTest, "tools/agents/roles", []string{
		"TestSet_KeepsRestOfFile",
	}},
	{unixTest, "tools/editor", []string{
		"TestFindHierarchy_LanguageServer",
	}},
	{unixTest, "tools/editor/headless", []string{
		"TestCoversProject_Later", "TestRename_InvalidEdits", "TestRefactor_TSServerErrors",
	}},
	{unixTest, "tools/editor/vscode", []string{
		"FuzzAnswers",
	}},
	{noRenameEvents, "tools/config", []string{
		"TestWatch_RealFiles",
	}},
	{longVariable, "tools/internal/dap", []string{
		"TestStart_Failure",
	}},
	{longVariable, "tools/editor/headless", []string{
		"TestRequests_InvalidPositions",
	}},
	{noParent, "tools/debug", []string{
		"TestAttach",
	}},
	{slow, "tools/internal/edit", []string{
		"TestPlan_LinearWork",
	}},
	{slow, "security", []string{
		"TestTrash_DeepDirectory", "TestWalk_Limits", "TestWalk_ContextEnds",
	}},
	{slow, "tools/agents", []string{
		"TestRun_ManyAgents",
	}},
	{slow, "tools/chunking", []string{
		"TestListFunctions_HostileFiles",
	}},
	{slow, "tools/chunking/index", []string{
		"TestWatch", "TestIndex_EqualsNewIndex",
	}},
	{slow, "tools/fs", []string{
		"TestEdit_AnswerBounds", "TestEdit_Corpus", "TestList_Pages", "TestRead_Pages", "TestWorkspaceStructure_Folding",
		"TestWorkspaceStructure_Counts", "TestSearchContent_Pages", "TestSearchContent_Budget", "TestSearch_Deadline",
		"TestSearch_ConcurrentChanges",
	}},
	{slow, "tools/editor", []string{
		"TestFollowLines_Random",
	}},
	{slow, "tools/search/segment", []string{
		"TestDamage", "TestDisk_SmallMemory",
	}},
}
