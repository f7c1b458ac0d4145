#!/bin/sh
echo run $# words
