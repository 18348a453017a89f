// The assembly System.Memory, which Mono has as a part of another: without it the
// compiler's parser does not find Span there.
using System.Runtime.CompilerServices;

[assembly: TypeForwardedTo(typeof(System.Span<>))]
[assembly: TypeForwardedTo(typeof(System.ReadOnlySpan<>))]
[assembly: TypeForwardedTo(typeof(System.Memory<>))]
[assembly: TypeForwardedTo(typeof(System.ReadOnlyMemory<>))]
[assembly: TypeForwardedTo(typeof(System.MemoryExtensions))]
[assembly: TypeForwardedTo(typeof(System.Buffers.IMemoryOwner<>))]
