// The tables of pipes and of their parts. What they mean: pipe.md.
#pragma once

#include "model/system/class_info.hpp"

namespace podtwin {

const ClassInfo& pipeInfo();
const ClassInfo& pipeContentInfo();   ///< of the content of pipes in plug flow
const ClassInfo& pipeWalledInfo();    ///< of that and the wall of those whose wall stores heat
const ClassInfo& pipeMomentumInfo();  ///< of the coolant in pipes with inertance

}  // namespace podtwin
