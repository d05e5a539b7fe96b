#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>

#include <stdexcept>
#include <string>

namespace purview::inline v0_1 {

/// The base of every exception this library throws on its own account. The message names the
/// operation, the axis or Dim, and the values on both sides.
class PURVIEW_EXPORT Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    Error(const Error&) = default;
    Error& operator=(const Error&) = default;
    ~Error() override;
};

/// Shapes, strides or element counts that do not fit together, or overflow 63 bits.
class PURVIEW_EXPORT ShapeError : public Error {
public:
    using Error::Error;
    ShapeError(const ShapeError&) = default;
    ShapeError& operator=(const ShapeError&) = default;
    ~ShapeError() override;
};

/// An index or axis that is out of range, or a wrong number of indexes.
class PURVIEW_EXPORT IndexError : public Error {
public:
    using Error::Error;
    IndexError(const IndexError&) = default;
    IndexError& operator=(const IndexError&) = default;
    ~IndexError() override;
};

/// A value that cannot be represented in the element type asked for.
class PURVIEW_EXPORT CastError : public Error {
public:
    using Error::Error;
    CastError(const CastError&) = default;
    CastError& operator=(const CastError&) = default;
    ~CastError() override;
};

/// An element type that an operation does not support, or that differs from the one asked for.
class PURVIEW_EXPORT DtypeError : public Error {
public:
    using Error::Error;
    DtypeError(const DtypeError&) = default;
    DtypeError& operator=(const DtypeError&) = default;
    ~DtypeError() override;
};

/// Sparse data given to an operation that has no sparse form, or that would have to be realised as
/// dense.
class PURVIEW_EXPORT KindError : public Error {
public:
    using Error::Error;
    KindError(const KindError&) = default;
    KindError& operator=(const KindError&) = default;
    ~KindError() override;
};

/// A write to something that is read-only.
class PURVIEW_EXPORT ReadOnlyError : public Error {
public:
    using Error::Error;
    ReadOnlyError(const ReadOnlyError&) = default;
    ReadOnlyError& operator=(const ReadOnlyError&) = default;
    ~ReadOnlyError() override;
};

/// Arithmetic without a defined result: integer division by zero.
class PURVIEW_EXPORT ArithmeticError : public Error {
public:
    using Error::Error;
    ArithmeticError(const ArithmeticError&) = default;
    ArithmeticError& operator=(const ArithmeticError&) = default;
    ~ArithmeticError() override;
};

/// A first-class dimension (`Dim`) used in conflict with its size or its binding.
class PURVIEW_EXPORT DimError : public Error {
public:
    using Error::Error;
    DimError(const DimError&) = default;
    DimError& operator=(const DimError&) = default;
    ~DimError() override;
};

/// A symbol used where elements are needed, or outside of the computation that it belongs to.
class PURVIEW_EXPORT SymbolError : public Error {
public:
    using Error::Error;
    SymbolError(const SymbolError&) = default;
    SymbolError& operator=(const SymbolError&) = default;
    ~SymbolError() override;
};

/// A file or a foreign description that does not follow its format, or could not be read.
class PURVIEW_EXPORT FormatError : public Error {
public:
    using Error::Error;
    FormatError(const FormatError&) = default;
    FormatError& operator=(const FormatError&) = default;
    ~FormatError() override;
};

/// Memory on a device that this machine's processor cannot read.
class PURVIEW_EXPORT DeviceError : public Error {
public:
    using Error::Error;
    DeviceError(const DeviceError&) = default;
    DeviceError& operator=(const DeviceError&) = default;
    ~DeviceError() override;
};

/// Chunks, or what a walk over chunks has to hold, are more than `memory_limit()`.
class PURVIEW_EXPORT MemoryLimitError : public Error {
public:
    using Error::Error;
    MemoryLimitError(const MemoryLimitError&) = default;
    MemoryLimitError& operator=(const MemoryLimitError&) = default;
    ~MemoryLimitError() override;
};

/// `[2 3 4]`: how shapes, strides and coordinates are written in messages and printed tensors.
PURVIEW_EXPORT std::string to_string(ShapeSpan values);

} // namespace purview
