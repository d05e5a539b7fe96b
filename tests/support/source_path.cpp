#include "support/source_path.hpp"

std::string source_path(std::string_view path) {
    return std::string(PURVIEW_TEST_SOURCE_DIR "/").append(path);
}
