import Combine
import Foundation

/// Keeps the pictures that were loaded once, in memory and on disk.
///
/// The memory is given back when the system asks for it; what is on disk expires
/// after `maxAge` seconds.
public final class PictureCache: NSObject, ObservableObject {
  // MARK: - Settings

  public struct Settings: Equatable, Sendable {
    public var maxAge: TimeInterval = 7 * 24 * 60 * 60
    public var maxBytes = 64 << 20
    public var directory: URL?

    public init(maxAge: TimeInterval = 604_800, maxBytes: Int = 64 << 20, directory: URL? = nil) {
      self.maxAge = maxAge
      self.maxBytes = maxBytes
      self.directory = directory
    }
  }

  public enum Failure: Error, LocalizedError {
    case notFound(URL)
    case damaged(URL, underlying: Error)
    case full

    public var errorDescription: String? {
      switch self {
      case .notFound(let url):
        return "There is no picture at \(url.absoluteString)"
      case .damaged(let url, let underlying):
        return "The picture at \(url.lastPathComponent) cannot be read: \(underlying.localizedDescription)"
      case .full:
        return "The cache is full"
      }
    }
  }

  @Published public private(set) var bytesInMemory = 0
  private let settings: Settings
  private let queue = DispatchQueue(label: "pictures.cache", qos: .utility, attributes: .concurrent)
  private var entries: [URL: Entry] = [:]
  private var observers = Set<AnyCancellable>()

  private lazy var decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }()

  /// Called with every picture that leaves the memory.
  public var onEviction: ((URL) -> Void)?

  // MARK: - Life

  public init(settings: Settings = Settings()) {
    self.settings = settings
    super.init()
    NotificationCenter.default
      .publisher(for: Notification.Name("memoryWarning"))
      .receive(on: queue)
      .sink { [weak self] _ in
        guard let self else { return }
        self.evict(downTo: self.settings.maxBytes / 4)
      }
      .store(in: &observers)
  }

  deinit {
    observers.forEach { $0.cancel() }
  }

  // MARK: - Reading

  /// The picture at a place, from memory if it is there, else from disk.
  ///
  /// - Parameters:
  ///   - url: where the picture came from
  ///   - scale: how many pixels a point has
  /// - Returns: the picture, or nil if it was never stored
  public func picture(at url: URL, scale: Double = 1) async throws -> Picture? {
    if let entry = entries[url], entry.isFresh(for: settings.maxAge) {
      entry.used += 1
      return entry.picture.scaled(by: scale)
    }
    guard let directory = settings.directory else {
      return nil
    }
    let path = directory.appendingPathComponent(url.lastPathComponent, isDirectory: false)
    do {
      let data = try await load(path)
      let header = try decoder.decode(Header.self, from: data.prefix(upTo: 512))
      guard header.version >= 2, header.length == data.count - 512 else {
        throw Failure.damaged(url, underlying: CocoaError(.fileReadCorruptFile))
      }
      let picture = Picture(data: data.dropFirst(512), size: header.size)
      store(picture, from: url)
      return picture.scaled(by: scale)
    } catch let error as DecodingError {
      throw Failure.damaged(url, underlying: error)
    }
  }

  public subscript(url: URL) -> Picture? {
    get { queue.sync { entries[url]?.picture } }
    set {
      queue.async(flags: .barrier) {
        if let picture = newValue {
          self.store(picture, from: url)
        } else {
          self.entries.removeValue(forKey: url)
        }
      }
    }
  }

  // MARK: - Private

  private func evict(downTo limit: Int) {
    let sorted = entries.sorted { $0.value.used < $1.value.used }
    for (url, entry) in sorted where bytesInMemory > limit {
      entries[url] = nil
      bytesInMemory -= entry.picture.bytes
      onEviction?(url)
    }
  }

  @discardableResult
  private func store(_ picture: Picture, from url: URL) -> Bool {
    let fits = bytesInMemory + picture.bytes <= settings.maxBytes
    if !fits {
      evict(downTo: max(0, settings.maxBytes - picture.bytes))
    }
    entries[url] = Entry(picture: picture, stored: Date(), used: fits ? 1 : 0)
    bytesInMemory += picture.bytes
    return fits
  }
}

// MARK: - Codable

extension PictureCache.Settings: Codable where TimeInterval: Codable {
  private enum CodingKeys: String, CodingKey {
    case maxAge = "max_age", maxBytes = "max_bytes"
    case directory
  }

  #if os(iOS) || os(tvOS)
  static let phone = Self(maxBytes: 16 << 20)
  #else
  static let phone = Self()
  #endif
}
