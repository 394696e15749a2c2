# Turns text files (device code) into a table in the library: base/embedded.h looks them up by path.
#
# As a module it defines pappus_embed(target file...): paths are relative to the calling folder.
# As a script (cmake -P) it writes the table.
if(CMAKE_SCRIPT_MODE_FILE)
  separate_arguments(files UNIX_COMMAND "${FILES}")
  set(code "#include \"base/embedded.h\"\n\nnamespace pappus::base {\n\n")
  string(APPEND code "const embedded_text embedded_texts[] = {\n")
  foreach(file ${files})
    file(READ "${ROOT}/${file}" text)
    string(APPEND code "{\"${file}\", R\"pappus(${text})pappus\"},\n")
  endforeach()
  list(LENGTH files count)
  string(APPEND code "};\nconst std::size_t embedded_texts_size = ${count};\n\n"
    "}  // namespace pappus::base\n")
  file(WRITE "${OUTPUT}" "${code}")
  return()
endif()

set(PAPPUS_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(pappus_embed target)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_texts.cpp)
  string(REPLACE ";" " " files "${ARGN}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_CURRENT_SOURCE_DIR} "-DFILES=${files}"
      -DOUTPUT=${output} -P ${PAPPUS_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${PAPPUS_EMBED_SCRIPT} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
