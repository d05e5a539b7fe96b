#pragma once

#include <string>
#include <vector>

namespace oracle {

/// The text of a saved computation without arguments, of one program.
inline std::string computation_text_of(const std::vector<std::string>& nodes,
                                       const std::string& outputs) {
    std::string text =
        "purview computation, version 1\narguments []\nnodes " + std::to_string(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        text += "\n%" + std::to_string(i) + " = " + nodes[i];
    return text + "\nprograms [\nprogram [] [" + outputs + "]\n]\n";
}

} // namespace oracle
