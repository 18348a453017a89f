/*
 * A bcryptprimitives.dll for the Wine of Debian 12 (Wine 8.0), which has none.
 * The Go runtime loads this library before anything else and takes its random
 * numbers from ProcessPrng.
 *
 * The library also changes one status of ntdll. Wine 8 has no
 * FileDispositionInformationEx and no FileRenameInformationEx, and returns
 * STATUS_NOT_IMPLEMENTED for them. A Windows without them returns
 * STATUS_INVALID_INFO_CLASS. The Go library deletes and renames with the older
 * classes after the latter status only.
 *
 * And the library refuses two requests that Wine 8 grants and Windows does not:
 * to set the end of a file through a handle without FILE_WRITE_DATA, which the Go
 * library opens for O_APPEND, and to create a symbolic link, which Wine 8 does not
 * do either.
 */
#include <windows.h>
#include <winternl.h>
#include <ntsecapi.h>
#include <string.h>

#define NOT_IMPLEMENTED ((NTSTATUS)0xC0000002)
#define INVALID_INFO_CLASS ((NTSTATUS)0xC0000003)
#define ACCESS_DENIED ((NTSTATUS)0xC0000022)
#define END_OF_FILE_INFORMATION 20

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	while (size > 0) {
		ULONG part = size > 1 << 30 ? 1 << 30 : (ULONG)size;
		if (!RtlGenRandom(data, part))
			return FALSE;
		data += part;
		size -= part;
	}
	return TRUE;
}

typedef NTSTATUS (NTAPI *set_information)(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG, ULONG);

static set_information original;

static BOOL may_write(HANDLE file)
{
	PUBLIC_OBJECT_BASIC_INFORMATION info;

	return NtQueryObject(file, ObjectBasicInformation, &info, sizeof info, NULL) != 0 || (info.GrantedAccess & FILE_WRITE_DATA);
}

static NTSTATUS NTAPI replacement(HANDLE file, PIO_STATUS_BLOCK io, PVOID data, ULONG size, ULONG class)
{
	NTSTATUS status;

	if (class == END_OF_FILE_INFORMATION && !may_write(file))
		return ACCESS_DENIED;
	status = original(file, io, data, size, class);
	return status == NOT_IMPLEMENTED ? INVALID_INFO_CLASS : status;
}

/*
 * Wine 8 reports success for CreateSymbolicLinkW and creates nothing. Windows
 * returns this error to users without the right to create links.
 */
static BOOLEAN WINAPI no_links(LPCWSTR name, LPCWSTR target, DWORD flags)
{
	(void)name, (void)target, (void)flags;
	SetLastError(ERROR_PRIVILEGE_NOT_HELD);
	return FALSE;
}

enum { jump_size = 12, stub_size = 32 };

/* redirect makes a function jump to another one. */
static void redirect(BYTE *function, const void *target)
{
	DWORD before;

	if (!VirtualProtect(function, jump_size, PAGE_EXECUTE_READWRITE, &before))
		return;
	function[0] = 0x48; /* mov rax, target */
	function[1] = 0xb8;
	memcpy(function + 2, &target, sizeof target);
	function[10] = 0xff; /* jmp rax */
	function[11] = 0xe0;
	VirtualProtect(function, jump_size, before, &before);
}

/*
 * install redirects the functions. NtSetInformationFile in ntdll is a stub that
 * can run at any address: it loads the number of a system call and calls the
 * kernel through absolute addresses. The copy of the stub is original.
 */
static void install(void)
{
	static const BYTE load[] = { 0x4c, 0x8b, 0xd1, 0xb8 }; /* mov r10, rcx; mov eax, number */
	BYTE *stub = (BYTE *)GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "NtSetInformationFile");
	BYTE *links = (BYTE *)GetProcAddress(GetModuleHandleW(L"kernelbase.dll"), "CreateSymbolicLinkW");
	BYTE *copy = VirtualAlloc(NULL, stub_size, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);

	if (stub && copy && memcmp(stub, load, sizeof load) == 0) {
		memcpy(copy, stub, stub_size);
		original = (set_information)copy;
		redirect(stub, replacement);
	}
	if (links)
		redirect(links, no_links);
}

BOOL WINAPI DllMain(HINSTANCE instance, DWORD reason, LPVOID reserved)
{
	(void)instance, (void)reserved;
	if (reason == DLL_PROCESS_ATTACH)
		install();
	return TRUE;
}
