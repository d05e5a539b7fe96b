#include <support/lanes_oracle.hpp>

namespace oracle {

LANES()

} // namespace oracle
