#include <purview/expression/element_function.hpp>

namespace purview::inline v0_1 {

UserFunction::~UserFunction() = default;

} // namespace purview
