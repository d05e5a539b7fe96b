#include <support/oracle.hpp>
#include <support/random_layout.hpp>

namespace oracle {

template struct Oracle<bool>;
template struct Oracle<std::int8_t>;
template struct Oracle<std::int16_t>;
template struct Oracle<std::int32_t>;
template struct Oracle<std::int64_t>;
template struct Oracle<std::uint8_t>;
template struct Oracle<std::uint16_t>;
template struct Oracle<std::uint32_t>;
template struct Oracle<std::uint64_t>;
template struct Oracle<float>;
template struct Oracle<double>;
template struct Oracle<std::string>;

template Layout<bool> random_layout(Random&);
template Layout<std::int8_t> random_layout(Random&);
template Layout<std::int16_t> random_layout(Random&);
template Layout<std::int32_t> random_layout(Random&);
template Layout<std::int64_t> random_layout(Random&);
template Layout<std::uint8_t> random_layout(Random&);
template Layout<std::uint16_t> random_layout(Random&);
template Layout<std::uint32_t> random_layout(Random&);
template Layout<std::uint64_t> random_layout(Random&);
template Layout<float> random_layout(Random&);
template Layout<double> random_layout(Random&);

} // namespace oracle
