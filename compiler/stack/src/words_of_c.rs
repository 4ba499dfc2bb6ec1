//! Words that a name in emitted C cannot be: one list for all that make or accept such names.

/// Keywords of C11 and of its compilers.
pub const KEYWORDS: &str = "auto break case char const continue default do double else enum extern float for goto if \
    inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void \
    volatile while asm typeof";

/// Types, functions and macros of the C library that emitted code includes, and macros of compilers.
pub const LIBRARY: &str = "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t size_t memcpy \
    memmove memset memcmp bool true false NULL offsetof errno main alignas alignof noreturn complex static_assert \
    thread_local stdin stdout stderr wchar_t linux unix i386 mips sparc sun";

/// Keywords of C++ alone, whose programs include the header too.
pub const OF_CPP: &str = "and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield \
    compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export friend mutable \
    namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires \
    static_cast template this throw try typeid typename using virtual xor xor_eq";

/// Words that a name in a source of C cannot be.
pub fn in_c() -> impl Iterator<Item = &'static str> {
    [KEYWORDS, LIBRARY].into_iter().flat_map(str::split_whitespace)
}

/// Words that a name in a header for C and C++ cannot be.
pub fn in_headers() -> impl Iterator<Item = &'static str> {
    in_c().chain(OF_CPP.split_whitespace())
}
