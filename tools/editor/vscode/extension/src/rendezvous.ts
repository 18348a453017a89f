// The directory in which servers find this window: only its user can use it, and it has a socket and a file that describes the window.
// This file does not import the API of VS Code.
import { createHash, randomBytes } from "node:crypto";
import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";

/** Description is the content of the file. */
export interface Description {
  protocol: number;
  socket: string;
  token: string;
  folders: string[];
  pid: number;
  host: string;
  /** foreign are the URIs of folders that are not on this machine. */
  foreign?: string[];
  app: string;
  appVersion: string;
  version: string;
}

/** maxSocket is the longest path of a socket that every system accepts, in bytes. */
const maxSocket = 103;

/** directories returns the possible directories of a rendezvous, the preferred one first. Servers search all of them. */
export function directories(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform, home = os.homedir()): string[] {
  if (env.DOUGU_VSCODE_DIR) return [env.DOUGU_VSCODE_DIR];
  if (platform === "win32") return [path.join(env.LOCALAPPDATA || path.join(home, "AppData", "Local"), "dougu", "vscode")];
  const all = [path.join(home, ".cache", "dougu", "vscode")];
  if (env.XDG_RUNTIME_DIR && path.isAbsolute(env.XDG_RUNTIME_DIR)) all.unshift(path.join(env.XDG_RUNTIME_DIR, "dougu", "vscode"));
  return all;
}

/** makePrivate creates a directory if necessary, and makes it inaccessible to other users. It throws if the directory belongs to another user. */
async function makePrivate(dir: string): Promise<void> {
  await fs.mkdir(dir, { recursive: true, mode: 0o700 });
  const info = await fs.lstat(dir);
  if (!info.isDirectory()) throw new Error(`${dir} is not a directory`);
  if (process.getuid === undefined) return; // the directories of a Windows profile are private
  if (info.uid !== process.getuid()) throw new Error(`${dir} belongs to another user`);
  if ((info.mode & 0o077) !== 0) await fs.chmod(dir, 0o700);
}

/** Rendezvous is the socket and the file of one window. */
export class Rendezvous {
  readonly token = randomBytes(32).toString("hex");
  private written = "";

  private constructor(
    readonly socket: string,
    readonly file: string,
    private readonly socketDir?: string, // the temporary directory of the socket, if the usual path was too long
  ) {}

  /** open selects the directory for a window with these folders, and creates it. */
  static async open(folders: string[], dirs: string[] = directories()): Promise<Rendezvous> {
    const name = createHash("sha256").update([...folders, String(process.pid)].join("\n")).digest("hex").slice(0, 16);
    const faults: string[] = [];
    for (const dir of dirs) {
      try {
        await makePrivate(dir);
        const file = path.join(dir, `${name}.json`);
        if (process.platform === "win32") return new Rendezvous(`\\\\.\\pipe\\dougu-${name}-${randomBytes(8).toString("hex")}`, file);
        const socket = path.join(dir, `${name}.sock`);
        if (Buffer.byteLength(socket) > maxSocket) {
          const socketDir = await fs.mkdtemp(path.join(os.tmpdir(), "dougu-"));
          return new Rendezvous(path.join(socketDir, "s"), file, socketDir);
        }
        await fs.rm(socket, { force: true }); // the socket of an earlier process with the same id
        return new Rendezvous(socket, file);
      } catch (err) {
        faults.push(String(err));
      }
    }
    throw new Error(`no usable directory for the socket: ${faults.join("; ")}`);
  }

  /** describe writes the file atomically. */
  async describe(about: Omit<Description, "socket" | "token" | "pid" | "host">): Promise<void> {
    const all: Description = { ...about, socket: this.socket, token: this.token, pid: process.pid, host: os.hostname() };
    this.written = JSON.stringify(all, undefined, 2) + "\n";
    await this.write();
  }

  /** keep writes the file again if it was removed. */
  async keep(): Promise<void> {
    if (this.written !== "" && !(await fs.stat(this.file).catch(() => undefined))) await this.write();
  }

  private async write(): Promise<void> {
    const draft = `${this.file}.${randomBytes(4).toString("hex")}.tmp`;
    await fs.writeFile(draft, this.written, { mode: 0o600, flag: "wx" });
    await fs.rename(draft, this.file);
  }

  async close(): Promise<void> {
    this.written = "";
    await fs.rm(this.file, { force: true });
    if (process.platform !== "win32") await fs.rm(this.socket, { force: true });
    if (this.socketDir) await fs.rm(this.socketDir, { recursive: true, force: true });
  }
}
