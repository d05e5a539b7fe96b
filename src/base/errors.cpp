#include <purview/base/errors.hpp>

namespace purview::inline v0_1 {

// Out of line, so that each type has one vtable and can be caught across shared libraries.
Error::~Error() = default;
ShapeError::~ShapeError() = default;
IndexError::~IndexError() = default;
CastError::~CastError() = default;
DtypeError::~DtypeError() = default;
KindError::~KindError() = default;
ReadOnlyError::~ReadOnlyError() = default;
ArithmeticError::~ArithmeticError() = default;
DimError::~DimError() = default;
SymbolError::~SymbolError() = default;
FormatError::~FormatError() = default;
DeviceError::~DeviceError() = default;
MemoryLimitError::~MemoryLimitError() = default;

std::string to_string(ShapeSpan values) {
    std::string text = "[";
    for (const index_t value : values) {
        if (text.size() > 1) text += ' ';
        text += std::to_string(value);
    }
    return text += ']';
}

} // namespace purview
