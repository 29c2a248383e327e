"""Routing: does the selected candidate deserve the turn, and what would other rules have selected?"""
