/** Reads an absolute URL; throws a TypeError for anything else. */
export function parseHttpUrl(text: string): URL {
  return new URL(text)
}

/** A cookie of a response. */
export class CookieJar {
  private readonly all = new Map<string, string>()

  /** Keeps a cookie until the session ends. */
  setCookie(name: string, value: string): void {
    this.all.set(name, value)
  }
}
