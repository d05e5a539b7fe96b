#include <purview/base/errors.hpp>
#include <purview/base/index.hpp>

#include <ostream>

namespace purview::inline v0_1 {

template class InlineVector<index_t, kInlineRank>;

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }

} // namespace purview
