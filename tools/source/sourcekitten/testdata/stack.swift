import Foundation
@testable import struct Stacks.Base

/// Holds things.
@objc(DGStack) @MainActor
public final class Stack<Element>: Base {
    enum Kind: Int { case small = 1, big
        /// Grows.
        indirect case growing(by: Int)
    }

    private(set) var items: [Element] = []
    var count: Int { items.count }
    lazy var onPush: (Element) -> Void = { element in
        func log() { print(element) }
        log()
    }

    /** Makes one. */
    @available(iOS 13, *) public required init?(capacity: Int) {
        items.reserveCapacity(capacity)
    }

    deinit { items.removeAll() }

    subscript(index: Int) -> Element {
        get { items[index] }
        set { items[index] = newValue }
    }

    @discardableResult
    static func push(_ x: Element, to stack: Stack) -> Bool {
        let result = stack.items.append(x)
        return result
    }

    static func == (lhs: Stack, rhs: Stack) -> Bool { lhs === rhs }
}

protocol Sized { var size: Int { get } ; associatedtype Unit }
extension Stack.Kind: Sized { func `default`() {} }
let café = "é", empty = Stack<Int>()
func free() {}
