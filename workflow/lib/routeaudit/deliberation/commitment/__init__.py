"""Commitment: does the selected agent publicly state the answer that won the turn?"""
