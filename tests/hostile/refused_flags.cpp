#include <purview/base/config.hpp>
