# cmake -DFROM=a.cpp -DTO=b.cpp -DFIND=text -DREPLACE=text -P mutated_copy.cmake
# Copies one source with one text replaced. Fails unless the text stands in it exactly once, so that a mutation can
# never silently turn into a copy without it when the source is rewritten.
foreach(needed IN ITEMS FROM TO FIND REPLACE)
  if(NOT DEFINED ${needed} OR "${${needed}}" STREQUAL "")
    message(FATAL_ERROR "mutated_copy.cmake: -D${needed}=... is missing")
  endif()
endforeach()
if("${FIND}" STREQUAL "${REPLACE}")
  message(FATAL_ERROR "mutated_copy.cmake: '${FIND}' would be replaced by itself")
endif()
file(READ "${FROM}" text)
string(REPLACE "${FIND}" "" without "${text}")
string(LENGTH "${text}" length)
string(LENGTH "${without}" length_without)
string(LENGTH "${FIND}" length_found)
math(EXPR count "(${length} - ${length_without}) / ${length_found}")
if(NOT count EQUAL 1)
  message(FATAL_ERROR "${FROM} holds '${FIND}' ${count} times, and must hold it once; "
                      "bring the mutation in tests/regression/CMakeLists.txt up to date with the source")
endif()
string(REPLACE "${FIND}" "${REPLACE}" text "${text}")
file(WRITE "${TO}" "${text}")
