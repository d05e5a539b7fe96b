#include <purview/tensor/operand_reader.hpp>

namespace purview::inline v0_1 {

#define PURVIEW_DEFINE_OPERAND_READER(T) PURVIEW_OPERAND_READER(, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_OPERAND_READER)
PURVIEW_DEFINE_OPERAND_READER(std::string)

} // namespace purview
